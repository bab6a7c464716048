// Style sheets say nothing to jsdom. Not a module of the new kind, as the component library requires it in a cycle.
