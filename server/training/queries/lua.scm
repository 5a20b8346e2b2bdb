(function_declaration) @def
(assignment_statement (expression_list value: (function_definition))) @def
(field value: (function_definition)) @def
(comment) @comment
