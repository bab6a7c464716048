'use strict';
// Before anything is drawn, so that a dark page never flashes white.
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const draw = () => {
    const chosen = localStorage.getItem('crate-theme');
    const isDark = chosen ? chosen === 'dark' : system.matches;
    document.documentElement.classList.toggle('pf-v6-theme-dark', isDark);
  };
  draw();
  // Many systems turn dark in the evening; a page that is open does so, too, while nobody chose otherwise.
  system.addEventListener('change', draw);
})();
