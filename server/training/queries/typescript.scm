[(function_signature) (method_signature) (abstract_method_signature)] @def
[(interface_declaration) (type_alias_declaration) (enum_declaration) (abstract_class_declaration)] @class
