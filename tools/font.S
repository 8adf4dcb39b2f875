/* The font drawn in pictures (DejaVu Sans), embedded at build from Debian's fonts-dejavu-core. */
	.section .rodata
	.global gs_font_data
	.hidden gs_font_data
	.global gs_font_end
	.hidden gs_font_end
gs_font_data:
	.incbin FONT
gs_font_end:
	.section .note.GNU-stack,"",%progbits
