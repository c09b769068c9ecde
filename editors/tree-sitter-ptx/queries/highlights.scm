(comment) @comment
(line_marker) @comment
(string) @string
(number) @number
(opcode) @keyword
(modifier) @attribute
(type) @type
(space) @keyword.storage
(linkage) @keyword.storage
(performance_directive) @keyword.directive
(label name: (identifier) @label)
(function name: (identifier) @function)
(declarator name: (identifier) @variable)
(special_register) @variable.builtin
(guard) @keyword.conditional
[".version" ".target" ".address_size" ".file" ".loc" ".pragma" ".section" ".entry" ".func"] @keyword.directive
