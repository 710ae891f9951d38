package io.github.redisstreams.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Settings of the publisher: those for every stream, which may be set for single streams
 * too, and those of the template.
 */
public class PublisherProperties extends StreamPublisherProperties {

	/**
	 * Whether to send after the commit of the Spring transaction around it, if there is
	 * one, and not at all after a rollback.
	 */
	private boolean afterCommit;

	/**
	 * Names of streams whose scheduled entries this application moves when they are due,
	 * beside those that it has listeners of.
	 */
	private List<String> promote = new ArrayList<>();

	/**
	 * Settings of single streams by name: all that can be set for every stream.
	 */
	private final Map<String, StreamPublisherProperties> streams = new LinkedHashMap<>();

	public boolean isAfterCommit() {
		return this.afterCommit;
	}

	public void setAfterCommit(boolean afterCommit) {
		this.afterCommit = afterCommit;
	}

	public List<String> getPromote() {
		return this.promote;
	}

	public void setPromote(List<String> promote) {
		this.promote = promote;
	}

	public Map<String, StreamPublisherProperties> getStreams() {
		return this.streams;
	}

}
