import type { AnyRoute } from '@tanstack/react-router';
import { pageInParts, pageRoute } from '../../app/page-routes.js';

/** The pages below `/policies`; their code comes when they are first opened. */
export function policyRoutes(parent: () => AnyRoute): AnyRoute[] {
  const page = pageRoute(parent, '/policies', 'PoliciesPage', () => import('./PoliciesPage.js'));
  return [
    pageInParts(page, '/policies/compliance', (under) => [
      pageRoute(under, '/compliance', 'ComplianceTab', () => import('./compliance/ComplianceTab.js')),
      pageRoute(under, '/violations', 'ViolationsTab', () => import('./violations/ViolationsTab.js')),
      pageRoute(under, '/rules', 'RulesTab', () => import('./rules/RulesTab.js')),
      pageRoute(under, '/rules/$rule', 'RulePart', () => import('./rules/RulePart.js')),
      pageRoute(under, '/waivers', 'WaiversTab', () => import('./waivers/WaiversTab.js')),
      pageRoute(under, '/try', 'TryTab', () => import('./try-out/TryTab.js')),
    ]),
  ];
}
