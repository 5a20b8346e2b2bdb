[(method_declaration) (constructor_declaration) (property_declaration)] @def
[(class_declaration) (interface_declaration) (struct_declaration) (enum_declaration)] @class
(comment) @comment
