#include "CCoupons.h"
