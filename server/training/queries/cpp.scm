(field_declaration declarator: (function_declarator)) @def
(class_specifier body: (_)) @class
