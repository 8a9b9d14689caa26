// Opens the menus on touch screens and adds a copy button to code samples.
(function () {
  document.querySelectorAll(".menu-item-has-children > a").forEach(function (link) {
    link.addEventListener("touchend", function (event) {
      var item = link.parentNode;
      if (!item.classList.contains("is-open")) {
        event.preventDefault();
        item.classList.add("is-open");
      }
    });
  });
  if (!navigator.clipboard) return;
  document.querySelectorAll(".highlight").forEach(function (box) {
    var button = document.createElement("button");
    button.type = "button";
    button.textContent = document.documentElement.lang === "de" ? "Kopieren" : "Copy";
    button.addEventListener("click", function () {
      navigator.clipboard.writeText(box.querySelector("code").textContent);
    });
    box.appendChild(button);
  });
})();
