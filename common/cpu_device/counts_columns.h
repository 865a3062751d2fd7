/* The first lines of a file of counts and of a file of findings: shared by what writes such files here and what reads
   them elsewhere. */
#ifndef CPU_DEVICE_COUNTS_COLUMNS_H
#define CPU_DEVICE_COUNTS_COLUMNS_H

#define COUNTS_HEADER "stage,kernel,dtype,m,n,k,source,line,counter,value"
#define FINDINGS_HEADER "stage,kernel,dtype,m,n,k,kind,file,line,other_file,other_line,count,text"

#endif
