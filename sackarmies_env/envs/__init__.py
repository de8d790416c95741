"""Environments: PettingZoo AEC, Gymnasium and vector adapters, generic over games; they know no rules."""
