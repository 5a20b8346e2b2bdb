"""Keep every answer that was given, and log questions and uses."""
