[(function_declaration) (generator_function_declaration) (method_definition)] @def
(variable_declarator value: [(arrow_function) (function_expression)]) @def
(pair value: [(arrow_function) (function_expression)]) @def
(assignment_expression right: [(arrow_function) (function_expression)]) @def
(class_declaration) @class
(comment) @comment
