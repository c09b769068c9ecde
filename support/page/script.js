'use strict';
// The switch between light and dark, which all pages share.
const ptxoffload = (() => {
  const root = document.documentElement;

  function setTheme(theme) {
    if (theme) root.dataset.theme = theme;
    try { localStorage.setItem('ptxoffload-theme', theme); } catch (e) { /* some browsers have no storage for files */ }
  }

  function switchTheme() {
    const set = root.dataset.theme;
    const dark = set ? set === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    setTheme(dark ? 'light' : 'dark');
  }

  try { const theme = localStorage.getItem('ptxoffload-theme'); if (theme) setTheme(theme); } catch (e) { /* as above */ }
  document.getElementById('theme').addEventListener('click', switchTheme);
  return { switchTheme };
})();
