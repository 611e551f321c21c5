"""Reads the records of Avro files as messages in JSON."""
