package io.csi4j.mount.internal.change;

import java.util.concurrent.TimeUnit;

/** The passing of time, for code that tries again. */
interface Pauser {

  /** The time of the machine, passed by waiting. */
  Pauser SYSTEM =
      new Pauser() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void pause(long nanos) throws InterruptedException {
          TimeUnit.NANOSECONDS.sleep(nanos);
        }
      };

  /** A clock that only ever goes forward; its values mean nothing by themselves. */
  long nanoTime();

  /** Returns when that much time has passed. */
  void pause(long nanos) throws InterruptedException;
}
