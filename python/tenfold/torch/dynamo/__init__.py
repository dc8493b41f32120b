"""Dynamo while it traces for this backend: the same graphs in less time."""
