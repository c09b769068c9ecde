int toll_placeholder;
