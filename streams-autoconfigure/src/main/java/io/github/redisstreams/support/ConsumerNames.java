package io.github.redisstreams.support;

import java.net.InetAddress;
import java.net.UnknownHostException;

import io.github.redisstreams.StreamsConfigurationException;

import org.springframework.util.StringUtils;

/**
 * The default name of this instance within its consumer groups.
 */
public final class ConsumerNames {

	private ConsumerNames() {
	}

	/**
	 * The name of this host: the {@code HOSTNAME} environment variable, which a container
	 * or pod has, or what the network says.
	 * @return the host's name
	 * @throws StreamsConfigurationException if neither tells
	 */
	public static String ofHost() {
		String hostname = System.getenv("HOSTNAME");
		if (StringUtils.hasText(hostname)) {
			return hostname;
		}
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			throw new StreamsConfigurationException("The consumer name defaults to the host name, which is unknown",
					"Set redis.streams.consumer to a name that this instance keeps over restarts and that no other "
							+ "instance has.",
					ex);
		}
	}

}
