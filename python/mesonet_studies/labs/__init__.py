"""The student's laboratory: five studies after a report on congestion control."""
