export { SandboxClient } from '@crate/sandbox';
