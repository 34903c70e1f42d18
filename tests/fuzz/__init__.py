"""Attacks on riemap with random cases: ``make fuzz``. docs/reliability.md says what is expected of it."""
