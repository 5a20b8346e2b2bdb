(function_definition) @def
(declaration declarator: (function_declarator)) @def
(declaration declarator: (pointer_declarator declarator: (function_declarator))) @def
[(struct_specifier body: (_)) (enum_specifier body: (_))] @class
(comment) @comment
