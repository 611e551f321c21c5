"""Spark sessions of this project: their Java, their settings, and their turns on one home."""

from landing.session.lease import LeaseLostError, confirm_lease, hold_lease, is_shared
from landing.session.opening import (
    FEW_MESSAGES,
    LONG_LIVED,
    READING,
    SHORT_LIVED,
    need_own_java,
    open_session,
    other_settings,
    profiles_folder,
    session_settings,
)

__all__ = [
    "FEW_MESSAGES",
    "LONG_LIVED",
    "READING",
    "SHORT_LIVED",
    "LeaseLostError",
    "confirm_lease",
    "hold_lease",
    "is_shared",
    "need_own_java",
    "open_session",
    "other_settings",
    "profiles_folder",
    "session_settings",
]
