"""What other conventions write into the documents: NCZarr, cs, ref, reference systems, multiscales."""
