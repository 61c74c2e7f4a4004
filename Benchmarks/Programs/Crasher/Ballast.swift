/// Nothing here. The large program has this file replaced by one that links its debug information.
func keepBallast() {}
