"""Lands what Kafka topics hold."""
