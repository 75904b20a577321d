"""Kit Builder: YAML activity definitions in, printable tabletop kits out."""

__version__ = "0.1.0"
