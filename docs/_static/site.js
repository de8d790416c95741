// What the theme leaves out for keyboards and screen readers: levels of captions, scrolling parts that can be focused.
addEventListener("DOMContentLoaded", () => {
  for (const caption of document.querySelectorAll(".caption[role=heading]")) caption.setAttribute("aria-level", "2");
  for (const part of document.querySelectorAll("pre, .table-wrapper")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
  }
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "All pages");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "On this page");
});
