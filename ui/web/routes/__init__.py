"""The routes by subject; each module has its router `to`."""
