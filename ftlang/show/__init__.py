"""A Spec as the user may read it: a complete `.ft` run, or JSON, with where every value is from."""
