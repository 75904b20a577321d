"""Cut-outs as physics: fold them, glue them, stand cards in them; and look at what is printed."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import pairwise
from math import atan2, degrees, dist

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageOps

from kit_builder import cutouts, formats
from kit_builder.cutouts import BASE, FACES, FLAP, LIP, REST, STRUT, TABS
from kit_builder.structure import Element
from kit_builder.typography import set_word
from kit_builder.units import MM
from tests import sample

# White paper around a piece, and pixels a point.
BORDER = 20
SCALE = 4

NET = cutouts.DiceNet()
STAND = cutouts.Stand(("fold up", "fold back", "glue"), "Andika")
SCREEN = cutouts.Screen()
STRIP = cutouts.Strip(
    (("Round 1", "arrow-left"), ("Round 2", "arrow-right"), ("Round 3", "arrow-left")), "Andika"
)
PIECES = [NET, STAND, SCREEN, STRIP]

Vector = tuple[int, int, int]


@cache
def printed(piece: cutouts.Piece) -> Image.Image:
    """The ink of a piece with its lower left corner at BORDER, BORDER: 0 none, 255 black."""
    size = piece.width + 2 * BORDER, piece.height + 2 * BORDER
    pdf = sample.printed(size, lambda canvas: piece.draw(canvas, BORDER, BORDER))
    page = pypdfium2.PdfDocument(pdf)[0]
    return ImageOps.invert(page.render(scale=SCALE).to_pil().convert("L"))


def part(piece: cutouts.Piece, left: float, bottom: float, right: float, top: float) -> Image.Image:
    """What is printed between these points of the piece."""
    image = printed(piece)
    x, y = BORDER * SCALE, image.height - BORDER * SCALE
    return image.crop(
        (
            round(x + left * SCALE),
            round(y - top * SCALE),
            round(x + right * SCALE),
            round(y - bottom * SCALE),
        )
    )


def inked(image: Image.Image) -> bool:
    """Whether anything darker than a faint edge is printed here."""
    return image.point(lambda level: 255 if level > 50 else 0).getbbox() is not None


def marks(image: Image.Image) -> int:
    """How many separate black marks there are."""
    black = image.point(lambda level: 255 if level > 127 else 0)
    count = 0
    while box := black.getbbox():
        row = black.crop((box[0], box[1], box[2], box[1] + 1)).getbbox() or box
        ImageDraw.floodfill(black, (box[0] + row[0], box[1]), 0)
        count += 1
    return count


def dashes(piece: cutouts.Piece, begin: tuple[float, float], end: tuple[float, float]) -> list[int]:
    """Lengths in pixels of the marks along an upright or level line of the piece."""
    (x0, y0), (x1, y1) = sorted((begin, end))
    image = part(piece, x0 - 0.5, y0 - 0.5, x1 + 0.5, y1 + 0.5)
    across = 1 if x1 - x0 > y1 - y0 else 0
    lengths = [0]
    for place in range(image.size[1 - across]):
        strip = (
            (place, 0, place + 1, image.height) if across else (0, place, image.width, place + 1)
        )
        if inked(image.crop(strip)):
            lengths[-1] += 1
        elif lengths[-1]:
            lengths.append(0)
    return [length for length in lengths if length]


# The net, folded ------------------------------------------------------------------------------


def opposite(vector: Vector) -> Vector:
    return -vector[0], -vector[1], -vector[2]


def folded() -> dict[tuple[int, int], dict[tuple[int, int], Vector]]:
    """Which way each square of the folded net looks, and which way its four sides lie.

    The cube's centre is the origin and half its edge 1; a square is told by its outward normal
    (under (0, 0)) and the directions from its middle to its sides.
    """
    first = (1, 1)
    cube = {first: frame((0, 0, 1), right=(1, 0, 0), up=(0, 1, 0))}
    waiting = [first]
    while waiting:
        square = waiting.pop()
        normal = cube[square][0, 0]
        for side in (cutouts.UP, cutouts.DOWN, cutouts.LEFT, cutouts.RIGHT):
            next_ = (square[0] + side[0], square[1] + side[1])
            if next_ in FACES and next_ not in cube:
                # Folded away from the reader: what was outwards beyond the fold now looks along
                # the side, and going on in that direction goes away from the reader.
                outward = cube[square][side]
                turned = {
                    direction: outward if vector == normal else vector
                    for direction, vector in cube[square].items()
                }
                turned[side] = opposite(normal)
                turned[-side[0], -side[1]] = normal
                cube[next_] = turned
                waiting.append(next_)
    return cube


def frame(normal: Vector, right: Vector, up: Vector) -> dict[tuple[int, int], Vector]:
    return {
        (0, 0): normal,
        cutouts.RIGHT: right,
        cutouts.LEFT: opposite(right),
        cutouts.UP: up,
        cutouts.DOWN: opposite(up),
    }


def free_sides() -> list[tuple[tuple[int, int], tuple[int, int]]]:
    return [
        (square, side)
        for square in FACES
        for side in (cutouts.UP, cutouts.DOWN, cutouts.LEFT, cutouts.RIGHT)
        if (square[0] + side[0], square[1] + side[1]) not in FACES
    ]


def pips(square: tuple[int, int]) -> int:
    """Counted on the printed net."""
    left, bottom = square[0] * NET.edge, square[1] * NET.edge
    return marks(part(NET, left + 2, bottom + 2, left + NET.edge - 2, bottom + NET.edge - 2))


def test_the_net_folds_into_a_closed_cube() -> None:
    assert len({sides[0, 0] for sides in folded().values()}) == len(FACES) == 6


def test_each_edge_of_the_cube_that_is_not_folded_gets_exactly_one_tab() -> None:
    cube = folded()
    edges = defaultdict(list)
    for square, side in free_sides():
        # An edge of a cube lies where two faces meet: the square's own and the one at its side.
        edges[frozenset((cube[square][0, 0], cube[square][side]))].append((square, side))

    assert len(edges) == 7
    for pair in edges.values():
        assert len(pair) == 2
        assert len([end for end in pair if end in TABS]) == 1
    assert len(TABS) == 7


def test_opposite_faces_of_the_printed_die_add_up_to_seven() -> None:
    by_normal = {sides[0, 0]: pips(square) for square, sides in folded().items()}

    assert sorted(by_normal.values()) == [1, 2, 3, 4, 5, 6]
    assert all(number + by_normal[opposite(way)] == 7 for way, number in by_normal.items())


def test_one_two_three_run_counter_clockwise_around_their_corner() -> None:
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = (
        next(sides[0, 0] for square, sides in folded().items() if FACES[square] == number)
        for number in (1, 2, 3)
    )

    determinant = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    assert determinant == 1


@pytest.mark.parametrize("square", FACES)
def test_the_pips_of_a_face_are_centred_and_look_the_same_upside_down(
    square: tuple[int, int],
) -> None:
    left, bottom = square[0] * NET.edge, square[1] * NET.edge
    face = part(NET, left + 2, bottom + 2, left + NET.edge - 2, bottom + NET.edge - 2)

    box = face.getbbox() or (0, 0, 0, 0)
    assert box[0] + box[2] == pytest.approx(face.width, abs=2)
    assert box[1] + box[3] == pytest.approx(face.height, abs=2)


@pytest.mark.parametrize(("square", "side"), free_sides())
def test_a_side_is_cut_unless_it_carries_a_tab(
    square: tuple[int, int], side: tuple[int, int]
) -> None:
    drawn = len(dashes(NET, *ends(square, side)))

    assert drawn > 4 if (square, side) in TABS else drawn == 1


@pytest.mark.parametrize(
    ("square", "side"),
    [((0, 1), (1, 0)), ((1, 1), (1, 0)), ((2, 1), (1, 0)), ((1, 1), (0, 1)), ((1, 0), (0, 1))],
)
def test_a_side_shared_by_two_squares_is_folded(
    square: tuple[int, int], side: tuple[int, int]
) -> None:
    assert len(dashes(NET, *ends(square, side))) > 4


@pytest.mark.parametrize(("square", "side"), TABS)
def test_a_tab_narrows_by_45_degrees_so_that_tabs_around_a_lid_do_not_overlap(
    square: tuple[int, int], side: tuple[int, int]
) -> None:
    (x0, y0), (x1, y1) = ends(square, side)
    along = (abs(side[1]), abs(side[0]))

    def at(share: float, out: float) -> tuple[float, float]:
        return (
            x0 + along[0] * share * NET.edge + side[0] * out,
            y0 + along[1] * share * NET.edge + side[1] * out,
        )

    assert dist((x0, y0), (x1, y1)) == pytest.approx(NET.edge)
    for out in (0.25 * NET.tab, 0.5 * NET.tab, 0.75 * NET.tab):
        for share in (out / NET.edge, 1 - out / NET.edge):
            x, y = at(share, out)
            assert inked(part(NET, x - 0.5, y - 0.5, x + 0.5, y + 0.5))
    far = dashes(NET, at(0.35, NET.tab), at(0.65, NET.tab))
    assert len(far) == 1


def ends(
    square: tuple[int, int], side: tuple[int, int]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """The two ends of a side on the flat net, from lower left to upper right."""
    x, y = square[0] + max(side[0], 0), square[1] + max(side[1], 0)
    return (
        (x * NET.edge, y * NET.edge),
        ((x + abs(side[1])) * NET.edge, (y + abs(side[0])) * NET.edge),
    )


@given(st.floats(10 * MM, 40 * MM))
def test_a_net_of_any_edge_is_four_squares_and_a_tab_wide(edge: float) -> None:
    net = cutouts.DiceNet(edge)

    assert net.height == pytest.approx(3 * edge)
    assert 4 * edge < net.width < 4.5 * edge
    assert net.tab < edge / 2


# The stand, folded ----------------------------------------------------------------------------


def test_the_stand_folds_into_a_closed_triangle() -> None:
    front, apex, back = (0.0, 0.0), STAND.apex, (BASE, 0.0)

    assert dist(front, apex) == pytest.approx(REST)
    assert dist(apex, back) == pytest.approx(STRUT)
    assert apex[1] > 0.8 * REST


def test_a_poker_card_leans_back_with_its_weight_over_the_middle_of_the_base() -> None:
    card = formats.card_size("poker")
    lean = 90 - degrees(atan2(STAND.apex[1], STAND.apex[0]))
    weight = STAND.apex[0] / REST * card.height / 2

    assert 10 < lean < 20
    assert BASE / 3 < weight < 2 * BASE / 3


def test_a_stand_carries_three_poker_cards_side_by_side() -> None:
    overhang = (3 * formats.card_size("poker").width - STAND.width) / 2

    assert 0 < overhang < 1 * MM


def test_the_flap_hides_behind_the_lip_it_is_glued_to() -> None:
    assert LIP - 2 * MM <= FLAP < LIP


def test_the_lip_folds_the_other_way_than_the_rest_of_the_stand() -> None:
    heights = [FLAP + BASE + STRUT + REST, FLAP + BASE + STRUT, FLAP + BASE, FLAP]
    kinds = [
        {round(length / SCALE / MM) for length in dashes(STAND, (1, height), (200, height))[1:-1]}
        for height in heights
    ]

    assert kinds == [{1, 4}, {2}, {2}, {2}]


def test_the_folds_of_a_stand_stand_where_its_panels_meet() -> None:
    assert STAND.height == pytest.approx(LIP + REST + STRUT + BASE + FLAP)


def test_a_label_too_wide_for_the_stand_is_refused_with_its_excess() -> None:
    words = "fold the whole of the upper part upwards now, please"

    with pytest.raises(cutouts.OversetError, match=r'^"fold the .* mm too wide at 18 pt$') as error:
        cutouts.Stand((words, "back", "glue"), "Andika", size=18)
    assert error.value.label is words


def test_the_words_of_a_stand_can_be_read_from_the_page() -> None:
    stand = cutouts.Stand(("plega amunt", "plega enrere", "enganxa"), "Andika")
    pdf = sample.printed((STAND.width, STAND.height), lambda canvas: stand.draw(canvas, 0, 0))

    text = pypdfium2.PdfDocument(pdf)[0].get_textpage().get_text_bounded()
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert sorted(lines) == [
        "1 plega enrere",
        "2 plega amunt",
        "3 plega amunt",
        "4 plega amunt",
        "5 enganxa 5 enganxa",
    ]


# Screen and strip -----------------------------------------------------------------------------


def test_a_screen_has_two_wings_narrower_than_its_middle() -> None:
    folds = [
        x
        for x in range(10, round(SCREEN.width) - 10)
        if part(SCREEN, x, 20, x + 1, SCREEN.height - 20).getbbox()
    ]

    left, right = folds[0], folds[-1]
    assert left == pytest.approx(SCREEN.wing, abs=1.5)
    assert right == pytest.approx(SCREEN.width - SCREEN.wing, abs=1.5)
    assert right - left > 2 * left
    assert len(dashes(SCREEN, (SCREEN.wing, 5), (SCREEN.wing, SCREEN.height - 5))) > 20


def test_nothing_is_drawn_between_the_panels_of_a_strip() -> None:
    (left, bottom, width, height), (next_left, *_), _ = STRIP.panels

    assert part(STRIP, left + width + 1, 1, next_left - 1, STRIP.height - 1).getbbox() is None
    assert part(STRIP, left - 1, bottom + 20, left + 1, bottom + height - 20).getbbox()


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_label_and_the_shape_of_a_panel_lie_centred_inside_its_frame(number: int) -> None:
    left, bottom, width, height = STRIP.panels[number]
    inside = part(STRIP, left + 4, bottom + 4, left + width - 4, bottom + height - 4)

    box = inside.getbbox() or (0, 0, 0, 0)
    clear = 3 * SCALE
    assert box[0] > clear and box[1] > clear
    assert box[2] < inside.width - clear and box[3] < inside.height - clear
    # The arrow weighs the same on both sides of the middle, but its tip reaches further.
    assert box[0] + box[2] == pytest.approx(inside.width, abs=0.06 * inside.width)


def test_short_labels_are_set_large() -> None:
    assert STRIP.size == 24


def test_a_label_that_fits_no_smaller_than_12_points_is_refused_with_its_excess() -> None:
    label = "A label far too long for a quarter"
    steps = (("Round 1", "circle"), ("Round 2", "circle"), ("Round 3", "star"), (label, "star"))

    with pytest.raises(cutouts.OversetError, match=r'^"A label .* mm too wide at 12 pt$') as error:
        cutouts.Strip(steps, "Andika")
    assert error.value.label is label
    room = set_word(label, False).width * 12 - error.value.excess
    assert 0 < room < STRIP.width / 4


def test_a_strip_of_an_unknown_shape_names_the_nearest_one() -> None:
    with pytest.raises(ValueError, match=r'unknown shape "arow-left"; did you mean "arrow-left"\?'):
        cutouts.Strip((("Round 1", "arow-left"),), "Andika")


def test_a_strip_without_steps_is_refused() -> None:
    with pytest.raises(ValueError, match="a strip has no steps"):
        cutouts.Strip((), "Andika")


@given(
    st.lists(st.text("abc ñü7", max_size=30), min_size=1, max_size=12), st.sampled_from([12, 18])
)
def test_the_labels_of_any_strip_fit_their_panels_or_are_refused(
    labels: list[str], smallest: float
) -> None:
    try:
        strip = cutouts.Strip(tuple((each, "star") for each in labels), "Andika", smallest)
    except cutouts.OversetError as error:
        assert error.label in labels and error.excess > 0
        return

    assert smallest - 1e-6 <= strip.size <= 24
    for label, (_, _, width, _) in zip(labels, strip.panels, strict=True):
        assert set_word(label, False).width * strip.size < width
    edges = [0.0]
    for left, _, width, _ in strip.panels:
        edges += [left, left + width]
    assert all(one < other for one, other in pairwise([*edges, strip.width]))


# All pieces -----------------------------------------------------------------------------------


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: type(piece).__name__)
def test_a_piece_fills_its_bounding_box_and_stays_within_it(piece: cutouts.Piece) -> None:
    image = printed(piece)

    edges = (BORDER, BORDER, BORDER + piece.width, BORDER + piece.height)
    assert image.getbbox() == pytest.approx([edge * SCALE for edge in edges], abs=2)


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize(
    ("piece", "columns", "rows"),
    [(NET, 2, 3), (STAND, 1, 2), (SCREEN, 1, 2), (STRIP, 1, 3)],
    ids=["six nets", "two stands", "two screens", "three strips"],
)
def test_enough_pieces_fit_on_a_page(
    piece: cutouts.Piece, columns: int, rows: int, paper: str
) -> None:
    page = formats.paper(paper)
    gap = 4 * MM

    assert columns * piece.width + (columns - 1) * gap <= page.width - 20 * MM
    # Above and below: margins, a heading and a footer.
    assert rows * piece.height + (rows - 1) * gap <= page.height - 47 * MM


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: type(piece).__name__)
def test_drawing_a_piece_leaves_the_pen_as_it_was(piece: cutouts.Piece) -> None:
    canvas, _ = sample.begin(Element("Document"))
    piece.draw(canvas, 0, 0)

    assert (canvas._code[0], canvas._code[-1]) == ("q", "Q")
    assert canvas._code.count("q") == canvas._code.count("Q") > 0
