/** The sandbox for whoever only starts one or talks to it: nothing of the simulated clouds is loaded. */
export { SandboxClient } from './control-api/sandbox-client.js';
export { writeRkeWrapper, type RkeWrapperOptions } from './rke/write-rke-wrapper.js';
