package io.csi4j.benchmarks.journal;

import io.csi4j.volume.internal.disk.Disk;
import io.csi4j.volume.internal.disk.DiskFile;
import io.csi4j.volume.internal.disk.RealDisk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.LongAdder;

/** The disk of the host, with its syncs counted. Slower than it, so never timed. */
final class CountingDisk {

  private final LongAdder syncs = new LongAdder();

  /** The disk. */
  Disk disk() {
    return watched(Disk.class, new RealDisk());
  }

  /** How many there were, of files and of directories. */
  long syncs() {
    return syncs.sum();
  }

  private <T> T watched(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().startsWith("sync")) {
                syncs.increment();
              }
              try {
                Object answer = method.invoke(target, arguments);
                return answer instanceof DiskFile file ? watched(DiskFile.class, file) : answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
