"""Studies as folders: the written form, and what makes a `Study` of it."""
