;;; ptx-mode.el --- A mode for PTX with ptxoffload-lsp  -*- lexical-binding: t -*-

;;; Commentary:
;; Emacs 28 needs the package eglot (Debian: elpa-eglot); later ones have it.
;;   (add-to-list 'load-path ".../emacs")
;;   (require 'ptx-mode)

;;; Code:
(require 'ptx-words)

(defgroup ptx nil "PTX." :group 'languages)
(defcustom ptx-server "ptxoffload-lsp"
  "The language server: a path, or a name in PATH."
  :type 'string)

(defvar ptx-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (dolist (char '(?_ ?$ ?%))
      (modify-syntax-entry char "_" table))
    table))

(defun ptx--words (words)
  "Return a regular expression for the dotted WORDS."
  (concat (regexp-opt words) "\\_>"))

(defvar ptx-font-lock-keywords
  `((,(ptx--words ptx-types) . font-lock-type-face)
    (,(ptx--words (append ptx-directives ptx-spaces)) . font-lock-preprocessor-face)
    (,(ptx--words ptx-modifiers) . font-lock-builtin-face)
    (,(concat "\\_<" (regexp-opt ptx-specials) "\\_>") . font-lock-constant-face)
    ("^[ \t]*\\([$_%A-Za-z][$_A-Za-z0-9]*\\)[ \t]*:" 1 font-lock-constant-face)
    ("@!?[$_%A-Za-z][$_A-Za-z0-9]*" . font-lock-warning-face)
    ("%[$_A-Za-z0-9]+" . font-lock-variable-name-face)
    (,(concat "\\_<" (regexp-opt ptx-opcodes) "\\_>") . font-lock-keyword-face)))

;;;###autoload
(define-derived-mode ptx-mode prog-mode "PTX"
  "A mode for PTX."
  (setq-local comment-start "// "
              comment-end ""
              indent-line-function #'indent-relative
              font-lock-defaults '(ptx-font-lock-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ptx\\'" . ptx-mode))

(defvar eglot-server-programs)
(declare-function eglot-ensure "eglot")
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs (cons 'ptx-mode (list ptx-server))))
(when (locate-library "eglot")
  (autoload 'eglot-ensure "eglot")
  (add-hook 'ptx-mode-hook #'eglot-ensure))

(provide 'ptx-mode)
;;; ptx-mode.el ends here
