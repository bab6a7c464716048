import { afterAll, beforeAll } from '@jest/globals';
import { ConformanceBench } from '../conformance/bench.js';
import { Kubectl } from '../conformance/kubectl.js';
import { reports } from './reports.js';
import { stages } from './stages.js';
import { waivers } from './waivers.js';

// Stories of several Projects, on one platform.
const bench = new ConformanceBench();
beforeAll(() => bench.start());
afterAll(async () => {
  Kubectl.removeAll();
  await bench.stop();
});

waivers(bench);
reports(bench);
stages(bench);
