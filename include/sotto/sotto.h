/* sotto/sotto.h: the whole public interface. */
#ifndef SOTTO_SOTTO_H
#define SOTTO_SOTTO_H

#include <sotto/accountant.h>
#include <sotto/certificate.h>
#include <sotto/error.h>
#include <sotto/gate.h>
#include <sotto/gaussian.h>
#include <sotto/grid.h>
#include <sotto/laplace.h>
#include <sotto/progress.h>
#include <sotto/rng.h>
#include <sotto/schema.h>
#include <sotto/system.h>
#include <sotto/version.h>

#endif
