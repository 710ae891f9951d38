package io.github.redisstreams.benchmarks.harness;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;

/**
 * What this JVM has used since it was started, or between two moments.
 *
 * @param cpuSeconds processor time of all its threads, those of the JVM itself included
 * @param allocatedBytes by the threads that live
 * @param gcMillis for how long the garbage collector held it up
 * @param threads how many live
 */
public record JvmUsage(double cpuSeconds, double allocatedBytes, double gcMillis, int threads) {

	/**
	 * Up to now.
	 * @return the usage since the JVM was started
	 */
	public static JvmUsage now() {
		ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
		OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
		return new JvmUsage(system.getProcessCpuTime() / 1e9,
				Arrays.stream(threads.getThreadAllocatedBytes(threads.getAllThreadIds())).sum(),
				ManagementFactory.getGarbageCollectorMXBeans()
					.stream()
					.mapToLong(GarbageCollectorMXBean::getCollectionTime)
					.sum(),
				threads.getThreadCount());
	}

	/**
	 * Between an earlier moment and this one.
	 * @param earlier the usage up to that moment
	 * @return the difference, with the threads of this moment
	 */
	public JvmUsage since(JvmUsage earlier) {
		return new JvmUsage(this.cpuSeconds - earlier.cpuSeconds, this.allocatedBytes - earlier.allocatedBytes,
				this.gcMillis - earlier.gcMillis, this.threads);
	}

}
