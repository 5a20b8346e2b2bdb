[(function_declaration) (method_declaration)] @def
(type_spec) @class
(comment) @comment
