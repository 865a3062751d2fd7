/* The first line of a file of counts: shared by what writes such files here and what reads them elsewhere. */
#ifndef CPU_DEVICE_COUNTS_COLUMNS_H
#define CPU_DEVICE_COUNTS_COLUMNS_H

#define COUNTS_HEADER "stage,kernel,dtype,m,n,k,source,line,counter,value"

#endif
