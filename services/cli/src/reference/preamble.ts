/** Settings from the environment that people may want to know of. */
export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['KUBECONFIG', 'Kubeconfigs, as for kubectl; default: ~/.kube/config.'],
  [
    'CRATE_DATA_DIR',
    'Where the local platform keeps everything; default: .crate in the checkout, ~/.crate with a release.',
  ],
  ['NO_COLOR, FORCE_COLOR', 'No colours, or colours also where the output is no terminal.'],
  ['BROWSER', 'Program that opens the page to sign in at.'],
  ['XDG_CONFIG_HOME', 'Credentials are kept in its folder crate; default: ~/.config.'],
];

/** What holds for all commands; a paragraph each. */
export const PARAGRAPHS: readonly (readonly [title: string, text: string])[] = [
  [
    'Which platform',
    'Commands take the platform that the current context of the kubeconfig names, as kubectl does; `crate login` writes one. `--kubeconfig` and `--context` choose another. `--data-dir` means the local platform on that directory, as its administrator. `-n` names the Project, which is a namespace for kubectl; without it, it is the one of the context, or `default`.',
  ],
  [
    'Output',
    'What was asked for goes to the standard output, everything about it to the standard error: warnings, progress and errors. Progress is bars on a terminal and lines elsewhere. `-o json` and `-o yaml` give the same as data. Errors name the object, each field and what to do.',
  ],
  [
    'Completion',
    'For bash `source <(crate completion bash)`, for zsh `source <(crate completion zsh)`, for fish `crate completion fish | source`. Kinds and names come from the platform; what does not come within 1.5 seconds is not offered.',
  ],
  [
    'Plugin of kubectl',
    '`kubectl crate …` is the same as `crate …` once `kubectl-crate` is in the PATH; with `kubectl_complete-crate` there as well kubectl completes it. Options stand behind `crate`, also `--context`.',
  ],
];
