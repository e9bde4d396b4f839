"""Trainers of the libraries with what they lack; each in a file of its own."""
