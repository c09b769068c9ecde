/* What programs take from the samples' header of this name: a timer that counts nothing. */
#pragma once

struct StopWatchInterface {
    float time;
};

static inline bool sdkCreateTimer(StopWatchInterface **timer)
{
    *timer = new StopWatchInterface();
    return true;
}

static inline bool sdkStartTimer(StopWatchInterface **)
{
    return true;
}

static inline bool sdkStopTimer(StopWatchInterface **)
{
    return true;
}

static inline bool sdkDeleteTimer(StopWatchInterface **timer)
{
    delete *timer;
    return true;
}

static inline float sdkGetTimerValue(StopWatchInterface **timer)
{
    return (*timer)->time;
}

static inline float sdkGetAverageTimerValue(StopWatchInterface **timer)
{
    return (*timer)->time;
}
