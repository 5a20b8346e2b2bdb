[(function_definition) (method_declaration)] @def
[(class_declaration) (interface_declaration) (trait_declaration)] @class
(comment) @comment
