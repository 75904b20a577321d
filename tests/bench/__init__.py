"""How fast Kit Builder is, against the practical limit and against what else one could take."""
