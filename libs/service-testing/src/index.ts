export { ServicePlatform, type TestedService } from './service-platform.js';
