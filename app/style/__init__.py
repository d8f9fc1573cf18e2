"""How everything looks: colours, type, icons, ramps. Widgets ask here, no literals."""
