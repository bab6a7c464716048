import { Command } from 'commander';
import { clustersCreateCommand } from './clusters-create.command.js';
import { clustersDeleteCommand } from './clusters-delete.command.js';
import { clustersKubeconfigCommand } from './clusters-kubeconfig.command.js';
import { clustersListCommand } from './clusters-list.command.js';
import { clustersPauseCommand, clustersResumeCommand } from './clusters-pause.command.js';
import { clustersScaleCommand } from './clusters-scale.command.js';
import { clustersUpgradeCommand } from './clusters-upgrade.command.js';

/** `crate clusters`: what people do with clusters, each in one step. */
export function clustersCommand(): Command {
  return new Command('clusters')
    .alias('cluster')
    .description('Create, scale, upgrade and delete clusters, and get into them')
    .addCommand(clustersListCommand())
    .addCommand(clustersCreateCommand())
    .addCommand(clustersScaleCommand())
    .addCommand(clustersUpgradeCommand())
    .addCommand(clustersKubeconfigCommand())
    .addCommand(clustersPauseCommand())
    .addCommand(clustersResumeCommand())
    .addCommand(clustersDeleteCommand());
}
