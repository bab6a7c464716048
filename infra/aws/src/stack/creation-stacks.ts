// cdktn notes the call stack of every token it makes, for its own error messages, unless it is told not to before each of them.
// Nobody reads those notes here, and they were half of the time that a stack takes to write.
// eslint-disable-next-line no-restricted-syntax -- cdktn has no other switch
process.env['CDKTN_DISABLE_CREATION_STACK'] = 'true';
