export { monthlyCost, type Billable, type MonthlyCost } from './monthly-cost.js';
export { readPrices, type PriceList } from './price-list.js';
