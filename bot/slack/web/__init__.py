"""Slack's HTTP: signatures and sockets inwards, the Web API outwards."""
