"""Spark sessions of this project: their Java, their settings, and their turns on one home."""

from landing.session.opening import (
    FEW_MESSAGES,
    LONG_LIVED,
    SHORT_LIVED,
    open_session,
    profiles_folder,
    session_settings,
)

__all__ = [
    "FEW_MESSAGES",
    "LONG_LIVED",
    "SHORT_LIVED",
    "open_session",
    "profiles_folder",
    "session_settings",
]
