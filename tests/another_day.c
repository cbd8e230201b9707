/* What is started with this library in LD_PRELOAD lives so many seconds ahead: `make test ON="2027-02-06 07:00"`. Waits go on as
 * they are, since they count by the monotonic clock; who waits until a time of the real one, waits for the same time. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <semaphore.h>
#include <sys/time.h>
#include <time.h>

int clock_gettime(clockid_t which, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(which, now);
    if (status == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE)) now->tv_sec += AHEAD;
    return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (now) *now = exact.tv_sec;
    return exact.tv_sec;
}

int sem_timedwait(sem_t *restrict what, const struct timespec *restrict until) {
    static int (*real)(sem_t *, const struct timespec *);
    struct timespec there = *until;
    if (!real) real = dlsym(RTLD_NEXT, "sem_timedwait");
    there.tv_sec -= AHEAD;
    return real(what, &there);
}

int sem_clockwait(sem_t *restrict what, clockid_t which, const struct timespec *restrict until) {
    static int (*real)(sem_t *, clockid_t, const struct timespec *);
    struct timespec there = *until;
    if (!real) real = dlsym(RTLD_NEXT, "sem_clockwait");
    if (which == CLOCK_REALTIME) there.tv_sec -= AHEAD;
    return real(what, which, &there);
}
